import { useEffect, useState } from 'react';
import type { Agent } from '../../protocol/session.ts';
import { useRoom, useTransport } from './room-context.tsx';

/** The agents that can be run on a machine, the server's own unless one is named; undefined until they are known, and those of the
 * last one until these are. Asked anew whenever the connection comes back. */
export function useAgents(machine?: string): readonly Agent[] | undefined {
  const transport = useTransport();
  const clientId = useRoom((room) => room.clientId);
  const [agents, setAgents] = useState<readonly Agent[]>();
  useEffect(() => {
    let isCurrent = true;
    if (clientId !== null) {
      transport.agents(machine === undefined ? undefined : { machine }).then(
        (found) => isCurrent && setAgents(found),
        () => {},
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [transport, clientId, machine]);
  return agents;
}
