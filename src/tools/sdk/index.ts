/** What a tool author imports, as `beckon/tools`. */
export type { Approvals, ToolContext, ToolLogger } from './define-tool.ts';
export { defineTool, type Tool, type ToolDefinition, type ToolResult } from './define-tool.ts';
export type {
  CheckboxField,
  ChoiceField,
  DateField,
  Field,
  FieldValue,
  FieldValues,
  MultiselectField,
  NumberField,
  Option,
  TextField,
} from './field.ts';
export type {
  ApprovalRequest,
  ApprovalResponse,
  ApprovalScope,
  CompletedView,
  FormSchema,
  InputRequest,
  InputResponse,
  InteractionOutcome,
  InteractionResponse,
  Pending,
  QueuedResult,
  Reprompt,
  RequestInteraction,
  WhenNobody,
} from './interaction.ts';
export { ToolError, type ToolErrorCode } from './tool-error.ts';
