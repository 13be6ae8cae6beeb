/**
 * A tool that needs a person's word before it acts, and remembers it: once, for this session, or always.
 *
 *   beckon --tools examples/tools/approval-gate.ts
 */
import { type ApprovalScope, defineTool, ToolError } from 'beckon/tools';
import { z } from 'zod';

/** Nobody should say yes to production once and for all. */
const scopes: Record<'staging' | 'production', readonly ApprovalScope[]> = {
  staging: ['once', 'session', 'always'],
  production: ['once', 'session'],
};

export default defineTool({
  name: 'deploy',
  description:
    'Deploys a branch. A person is asked first, unless they have approved the environment before. Do not call it again after a "no".',
  input: z.object({
    branch: z.string().min(1),
    environment: z.enum(['staging', 'production']),
  }),
  async handler({ branch, environment }, context) {
    const key = `deploy:${environment}`;
    if (context.approvals.get(key) === undefined) {
      if (!context.interaction.available) {
        throw new ToolError(
          'approval_needed',
          `Somebody has to approve ${environment}, and nobody is there.`,
        );
      }
      const answer = await context.requestInteraction({
        type: 'approval',
        prompt: `Deploy ${branch} to ${environment}?`,
        approvalScopes: scopes[environment],
        async onResponse(response) {
          if (response.action === 'deny') return { complete: { approved: false, reason: response.reason } };
          await context.approvals.set(key, response.approvalScope);
          return { complete: { approved: true, reason: '' } };
        },
      });
      if (!answer.approved) return { deployed: false, reason: answer.reason };
    }
    context.logger.info('Deploying', { branch, environment });
    // Here the real thing would happen. It can last: context.signal says when to give up.
    return { deployed: true, branch, environment };
  },
});
