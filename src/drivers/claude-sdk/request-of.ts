import type { IncomingRequest } from '../claude/incoming.ts';
import type { SdkAskOptions, SdkElicitation } from './sdk-types.ts';

/** The SDK renames the fields of a request; named as on the wire again, one reader understands both. */
export function toolRequest(
  toolName: string,
  input: Record<string, unknown>,
  options: SdkAskOptions,
): IncomingRequest {
  return {
    requestId: options.requestId,
    subtype: 'can_use_tool',
    request: {
      tool_name: toolName,
      input,
      tool_use_id: options.toolUseID,
      agent_id: options.agentID,
      permission_suggestions: options.suggestions,
      blocked_path: options.blockedPath,
      decision_reason: options.decisionReason,
      default_to_no: options.defaultToNo,
      suppress_always_allow_rule: options.suppressAlwaysAllowRule,
      matched_ask_rule: options.matchedAskRule,
    },
  };
}

export function formRequest(
  { serverName, message, mode, url, elicitationId, requestedSchema }: SdkElicitation,
  requestId: string,
): IncomingRequest {
  return {
    requestId,
    subtype: 'elicitation',
    request: {
      mcp_server_name: serverName,
      message,
      ...(mode !== undefined && { mode }),
      ...(url !== undefined && { url }),
      ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
      ...(requestedSchema !== undefined && { requested_schema: requestedSchema }),
    },
  };
}
