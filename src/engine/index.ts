export { type Engine, openEngine } from './engine.ts';
export { systemClock } from './ports/clock.ts';
export { randomIds } from './ports/ids.ts';
export type { EngineSettings } from './settings.ts';
