import { CodeLine } from '../code/code-line.js'
import { languageOfFile } from '../code/language.js'
import { useCodeLines } from '../code/use-code.js'
import { WholeText } from './whole-text.js'

const MAX_LINES = 2_000
/** A longer text does not fit its box. */
const MAX_VISIBLE_LINES = 16

interface FileTextProps {
  path: string
  text: string
  /** The number of the first line. */
  start: number
}

/** The lines of a file, numbered and coloured. */
export function FileText({ path, text, start }: FileTextProps) {
  const language = languageOfFile(path)
  const lines = useCodeLines(text, language).slice(0, MAX_LINES)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <div className="diff" tabIndex={0}>
        <table>
          <tbody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
              <tr key={index}>
                <td className="number">{start + index}</td>
                <td className="line">
                  <CodeLine line={line} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > MAX_VISIBLE_LINES && <WholeText text={text} language={language} />}
    </>
  )
}
