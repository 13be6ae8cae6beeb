import type { HttpTransport } from '../../client/http-transport.ts';
import type { Machine, MachineLoad, UnclaimedRun } from '../../protocol/machine.ts';
import { Failure } from '../failure.ts';
import { atMostOne, isSet, onlyWith, textFlag } from '../flags.ts';
import { columns } from '../render/columns.ts';
import { age, counted } from '../render/measures.ts';
import type { Paint } from '../render/paint.ts';
import { oneLine } from '../render/safe-text.ts';
import { clientCommand, isShortFor } from './client-command.ts';

export const machines = clientCommand({
  usage: 'machines [--give-up NAME --yes | --take RUN | --end RUN]',
  help: `Lists the machines that agents run on: whether each can be reached and since when, its sessions and what is asked in them, how
busy it is, and the agents that were found there. Agents that no session has are listed below their machine.`,
  flags: {
    'give-up': { type: 'string' },
    yes: { type: 'boolean' },
    take: { type: 'string' },
    end: { type: 'string' },
  },
  flagsHelp: `  --give-up NAME    end the sessions of a machine that will not come back; without --yes it only says what would end
  --take RUN        let its session go on with an agent that no session has, or a new one with its conversation where this server
                    does not know its session; the id may be shortened
  --end RUN         end an agent that no session has`,
  async run({ flags, paint, connect }) {
    atMostOne(flags, 'give-up', 'take', 'end');
    onlyWith(flags, 'give-up', 'yes');
    const transport = await connect();
    const givenUp = textFlag(flags, 'give-up');
    const take = textFlag(flags, 'take');
    const end = textFlag(flags, 'end');
    if (givenUp !== undefined) await giveUp(transport, givenUp, isSet(flags, 'yes'));
    if (take !== undefined) await transport.takeRun(...(await runNamed(transport, take)));
    if (end !== undefined) await transport.endRun(...(await runNamed(transport, end)));
    const list = await transport.machines();
    return [{ machines: list }, machineLines(list, Date.now(), paint)];
  },
});

/** What a person would lose is said first: it cannot be undone. */
async function giveUp(transport: HttpTransport, name: string, isSure: boolean): Promise<void> {
  const machine = (await transport.machines()).find((one) => one.name === name);
  if (machine !== undefined && machine.state === 'unreachable' && !isSure) {
    const { sessions, pending } = machine;
    throw new Failure(
      `${counted(sessions, 'session')} of ${name} would end as failed, and what is asked there (${pending}) as lost; nothing was done. With --yes it is given up. As long as it may come back, everything waits for it.`,
    );
  }
  await transport.giveUpMachine(name);
}

async function runNamed(transport: HttpTransport, name: string): Promise<[machine: string, runId: string]> {
  const runs = (await transport.machines()).flatMap(({ name: machine, unclaimed }) =>
    unclaimed.map(({ runId }): [string, string] => [machine, runId]),
  );
  const like = runs.filter(([, runId]) => isShortFor(runId, name));
  const [found] = like;
  if (like.length !== 1 || found === undefined)
    throw new Failure(
      `"${name}" names ${like.length === 0 ? 'no agent' : 'several agents'} that no session has`,
    );
  return found;
}

function machineLines(list: readonly Machine[], now: number, paint: Paint): string[] {
  const rows = columns(
    list.map((machine) => [
      oneLine(machine.name),
      ...stateCells(machine, now, paint),
      machine.load === undefined ? '' : loadWords(machine.load),
      machine.agents
        .filter(({ available }) => available)
        .map(({ name, version }) => oneLine([name, version].filter(Boolean).join(' ')))
        .join(', '),
    ]),
  );
  return list.flatMap(({ problem, unclaimed }, at) => [
    rows[at] ?? '',
    ...(problem === undefined ? [] : [`  ${paint('red', oneLine(problem))}`]),
    ...unclaimed.map((run) => `  ${paint('yellow', unclaimedWords(run))}`),
  ]);
}

/** Whether it can be reached and since when, its sessions, what is asked there. */
export const stateCells = (
  { state, since, sessions, pending }: Machine,
  now: number,
  paint: Paint,
): readonly string[] => [
  state === 'reachable' ? paint('green', state) : paint('yellow', `unreachable for ${age(since, now)}`),
  counted(sessions, 'session'),
  pending === 0 ? '' : paint('yellow', `${pending} open`),
];

function loadWords({ processors, memoryFree, memoryTotal }: MachineLoad): string {
  const gigabytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);
  return `${Math.round(processors * 100)} % busy, ${gigabytes(memoryFree)} of ${gigabytes(memoryTotal)} GB free`;
}

function unclaimedWords(run: UnclaimedRun): string {
  const { runId, sessionId, title, isRunning, canBeTaken, endsWhenTaken, agent, cwd } = run;
  const what = agent === undefined || cwd === undefined ? '' : `, ${agent} in ${cwd}`;
  const whose = title === undefined ? `of a session unknown here (${sessionId}${what})` : `of "${title}"`;
  const where = title === undefined ? 'goes on in a new session' : 'its session goes on at your next message';
  const take = endsWhenTaken === true ? `--take (ends it, and ${where})` : '--take';
  const remedy = canBeTaken ? `${take} or --end` : '--end';
  return oneLine(`${runId}  ${isRunning ? 'runs' : 'has ended'}, ${whose}, and no session has it: ${remedy}`);
}
