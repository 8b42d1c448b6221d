/**
 * Renders Markdown as React elements. XSS: no HTML is ever created from text. HTML in the source is shown as text, so
 * nothing has to be sanitised. Finished blocks are memoised while the last one streams in.
 */

import { marked, type Token, type Tokens } from 'marked'
import { Fragment, memo, type ReactNode, useMemo } from 'react'
import { CodeText } from '../code/code-line.js'
import { languageNamed } from '../code/language.js'
import { useCode } from '../code/use-code.js'
import { CopyButton } from './copy.js'
import { printable } from './printable.js'

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(
    () => marked.lexer(text, { gfm: true }).filter(({ type }) => type !== 'space'),
    [text],
  )
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
        <Block key={index} raw={block.raw} token={block} />
      ))}
    </div>
  )
}

/** Re-renders only if the source of the block has changed. */
const Block = memo(
  ({ token }: { raw: string; token: Token }) => <>{render(token)}</>,
  (one, other) => one.raw === other.raw,
)

const MAX_DEPTH = 40

function renderAll(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return tokens?.map((token) => token.raw).join('')
  // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
  return tokens?.map((token, index) => <Fragment key={index}>{render(token, depth + 1)}</Fragment>)
}

function render(token: Token, depth = 0): ReactNode {
  const inner = () => renderAll((token as Tokens.Generic).tokens, depth)
  switch (token.type) {
    case 'paragraph':
      return <p>{inner()}</p>
    case 'heading': {
      // The page owns h1, so headings of a text start at h2.
      const Heading =
        (['h2', 'h3', 'h4', 'h5', 'h6', 'h6'] as const)[(token as Tokens.Heading).depth - 1] ?? 'h6'
      return <Heading>{inner()}</Heading>
    }
    case 'code':
      return <Code {...(token as Tokens.Code)} />
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />
    case 'hr':
      return <hr />
    case 'strong':
      return <strong>{inner()}</strong>
    case 'em':
      return <em>{inner()}</em>
    case 'del':
      return <del>{inner()}</del>
    case 'codespan':
      return <code>{printable((token as Tokens.Codespan).text)}</code>
    case 'br':
      return <br />
    case 'link':
      return <Anchor href={(token as Tokens.Link).href}>{inner()}</Anchor>
    case 'image': {
      // Privacy: images are shown as links, so that a text cannot make the browser contact another server.
      const { href, text } = token as Tokens.Image
      return <Anchor href={href}>{text || href}</Anchor>
    }
    case 'text':
      return (token as Tokens.Text).tokens ? inner() : decodeEntities((token as Tokens.Text).text)
    case 'escape':
      return decodeEntities((token as Tokens.Escape).text)
    default:
      return decodeEntities(token.raw)
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

function decodeEntities(text: string): string {
  return printable(text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity))
}

function Anchor({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(?:https?:|mailto:)/i.test(href)) return <>{children}</>
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
    </a>
  )
}

function Code({ text, lang }: { text: string; lang?: string | undefined }) {
  const code = useCode(text, languageNamed(lang))
  return (
    <figure className="code">
      <figcaption>
        <span className="grow">{lang ?? ''}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <pre tabIndex={0}>
        <code>
          <CodeText code={code} />
        </code>
      </pre>
    </figure>
  )
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
      {renderAll(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ))
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
    <div className="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
              <th key={index}>{renderAll(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
            <tr key={line}>
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
                <td key={index}>{renderAll(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
