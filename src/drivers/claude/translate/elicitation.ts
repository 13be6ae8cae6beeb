import type { Ask } from '../../../protocol/interaction.ts';
import { type JsonObject, objectAt, textAt, textsAt } from '../../fields.ts';
import { formFields } from '../../form-fields.ts';

/** A form that another MCP server wants filled in, or an address it wants visited. */
export function elicitationAsk(agentRequestId: string, request: JsonObject): Ask {
  const source = textAt(request, 'mcp_server_name') ?? 'MCP server';
  const message = textAt(request, 'message') ?? '';
  const url = textAt(request, 'url');
  const toolCallId = textAt(request, 'tool_use_id');
  return {
    kind: 'form',
    agentRequestId,
    toolName: source,
    ...(toolCallId !== undefined && { toolCallId }),
    title: message || source,
    input: { ...request },
    form: {
      message,
      fields: formFields(objectAt(request, 'requested_schema') ?? {}, textsAt(request, 'property_order')),
      presentation: 'questionnaire',
      source,
      ...(url !== undefined && { url }),
    },
    requiresPerson: true,
  };
}
