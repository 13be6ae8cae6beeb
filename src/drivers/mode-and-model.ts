import type { AgentFact } from '../runner/ports/agent-driver.ts';

/** What an agent said of its settings last; it is told once, however often the agent says it. */
interface Known {
  permissionMode: string | null;
  model: string | null;
}

export function modeChange(known: Known, permissionMode: string | undefined): readonly AgentFact[] {
  if (permissionMode === undefined || permissionMode === known.permissionMode) return [];
  known.permissionMode = permissionMode;
  return [{ type: 'mode-changed', permissionMode }];
}

export function modelChange(known: Known, model: string | undefined): readonly AgentFact[] {
  if (model === undefined || model === known.model) return [];
  known.model = model;
  return [{ type: 'model-changed', model }];
}
