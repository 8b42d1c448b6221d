export { readScript, type Script, type ScriptInput } from './script.js'
export { type RecordedRequest, type ScriptedModel, startScriptedModel } from './server.js'
