import { lazy } from 'react'

const load = () => import('./body.js')

export const ToolBody = lazy(async () => ({ default: (await load()).ToolBody }))
export const Changes = lazy(async () => ({ default: (await load()).Changes }))
export const Input = lazy(async () => ({ default: (await load()).Input }))
