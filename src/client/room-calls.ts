import type {
  AnswerQuestion,
  Approve,
  CreateSession,
  Deny,
  EventsQuery,
  PatchQueued,
  PatchSession,
  PreviewGrant,
  Respond,
  SearchQuery,
  SendMessage,
  SubmitAnswers,
} from '../protocol/command.ts';
import type { Grant, GrantPreview } from '../protocol/grant.ts';
import type { Interaction } from '../protocol/interaction.ts';
import type { OperationName } from '../protocol/operation.ts';
import type { Agent, AgentCommand, QueuedMessage, Session } from '../protocol/session.ts';
import type { ToolCatalogue } from '../protocol/tool.ts';
import type { Place } from './routes.ts';
import type {
  EventsPage,
  FoundEvent,
  MessageReceipt,
  SessionPage,
  SessionPageQuery,
  Transport,
} from './transport.ts';

/** Every call of a transport as an operation; how one gets there is the transport's own. */
export abstract class RoomCalls implements Omit<Transport, 'subscribe' | 'follow'> {
  protected abstract call<T>(operation: OperationName, place?: Place, body?: object): Promise<T>;

  async agents(): Promise<readonly Agent[]> {
    return (await this.call<{ agents: Agent[] }>('listAgents')).agents;
  }

  tools(): Promise<ToolCatalogue> {
    return this.call<ToolCatalogue>('listTools');
  }

  async createSession(input: CreateSession): Promise<Session> {
    return (await this.call<{ session: Session }>('createSession', {}, input)).session;
  }

  async sessions(): Promise<readonly Session[]> {
    return (await this.call<{ sessions: Session[] }>('listSessions')).sessions;
  }

  sessionPage({ status, ...query }: SessionPageQuery): Promise<SessionPage> {
    return this.call<SessionPage>('listSessions', { query: { ...query, status: status?.join(',') } });
  }

  async session(session: string): Promise<Session> {
    return (await this.call<{ session: Session }>('getSession', { params: { session } })).session;
  }

  async agentCommands(session: string): Promise<readonly AgentCommand[]> {
    return (await this.call<{ commands: AgentCommand[] }>('getSession', { params: { session } })).commands;
  }

  async patch(session: string, changes: PatchSession): Promise<Session> {
    return (await this.call<{ session: Session }>('patchSession', { params: { session } }, changes)).session;
  }

  async removeSession(session: string): Promise<void> {
    await this.call('deleteSession', { params: { session } });
  }

  sendMessage(session: string, message: SendMessage): Promise<MessageReceipt> {
    return this.call<MessageReceipt>('sendMessage', { params: { session } }, message);
  }

  async queue(session: string): Promise<readonly QueuedMessage[]> {
    return (await this.call<Queue>('getQueue', { params: { session } })).queue;
  }

  async patchQueued(
    session: string,
    messageId: string,
    changes: PatchQueued,
  ): Promise<readonly QueuedMessage[]> {
    return (await this.call<Queue>('patchQueued', { params: { session, messageId } }, changes)).queue;
  }

  async removeQueued(session: string, messageId: string): Promise<readonly QueuedMessage[]> {
    return (await this.call<Queue>('removeQueued', { params: { session, messageId } })).queue;
  }

  async pending(session?: string): Promise<readonly Interaction[]> {
    const reply =
      session === undefined
        ? await this.call<{ pending: Interaction[] }>('listPending')
        : await this.call<{ pending: Interaction[] }>('listPendingOfSession', { params: { session } });
    return reply.pending;
  }

  async interaction(session: string, interactionId: string): Promise<Interaction> {
    return (await this.call<Resolved>('getInteraction', { params: { session, interactionId } })).interaction;
  }

  async approve(session: string, decision: Approve): Promise<Interaction> {
    return (await this.call<Resolved>('approve', { params: { session } }, decision)).interaction;
  }

  async deny(session: string, decision: Deny): Promise<Interaction> {
    return (await this.call<Resolved>('deny', { params: { session } }, decision)).interaction;
  }

  async answer(session: string, answer: AnswerQuestion): Promise<Interaction> {
    return (await this.call<Resolved>('answer', { params: { session } }, answer)).interaction;
  }

  async submitAnswers(session: string, answer: SubmitAnswers): Promise<Interaction> {
    return (await this.call<Resolved>('submitAnswers', { params: { session } }, answer)).interaction;
  }

  async respond(session: string, response: Respond): Promise<Interaction> {
    return (await this.call<Resolved>('respond', { params: { session } }, response)).interaction;
  }

  async interrupt(session: string): Promise<void> {
    await this.call('interrupt', { params: { session } });
  }

  async stop(session: string): Promise<readonly string[]> {
    return (await this.call<{ returned: string[] }>('stop', { params: { session } })).returned;
  }

  async resume(session: string): Promise<Session> {
    return (await this.call<{ session: Session }>('resume', { params: { session } })).session;
  }

  events(session: string, query: EventsQuery = {}): Promise<EventsPage> {
    return this.call<EventsPage>('listEvents', { params: { session }, query });
  }

  async grants(): Promise<readonly Grant[]> {
    return (await this.call<{ grants: Grant[] }>('listGrants')).grants;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.call('revokeGrant', { params: { grantId } });
  }

  async previewGrant(preview: PreviewGrant): Promise<readonly Interaction[]> {
    return (await this.previewPattern(preview)).matches;
  }

  previewPattern(preview: PreviewGrant): Promise<GrantPreview> {
    return this.call<GrantPreview>('previewGrant', {}, preview);
  }

  async search(query: SearchQuery): Promise<readonly FoundEvent[]> {
    return (await this.call<{ hits: FoundEvent[] }>('search', { query })).hits;
  }

  async setInteractionEnabled(clientId: string, enabled: boolean): Promise<void> {
    await this.call('switchInteraction', { params: { clientId } }, { enabled });
  }
}

type Queue = { queue: QueuedMessage[] };
type Resolved = { interaction: Interaction };
