import type { Event } from '../protocol/event.ts';
import { callShapeOf, resultShapeOf } from './tool-calls.ts';

/**
 * An event as it would be told today. Logs of earlier versions do not say what a call does and brought; all agents' calls have the
 * field names of Claude Code there.
 */
export function withShapes(event: Event): Event {
  switch (event.type) {
    case 'tool.called':
      return event.call === undefined ? { ...event, call: callShapeOf(event.name, event.input) } : event;
    case 'tool.result': {
      if (event.output !== undefined) return event;
      const output = resultShapeOf(event.text, event.detail, event.isError);
      return output === undefined ? event : { ...event, output };
    }
    case 'interaction.requested': {
      const { ask } = event;
      if (ask.call !== undefined || ask.tool !== undefined || ask.kind === 'form') return event;
      return { ...event, ask: { ...ask, call: callShapeOf(ask.toolName, ask.input) } };
    }
    default:
      return event;
  }
}
