import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { loadViewTexts } from '../i18n/i18n.js'

/** A component that is loaded when it is first shown, together with the texts that only such components use. */
export function lazyView<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [component] = await Promise.all([load(), loadViewTexts()])
    return { default: component }
  })
}
