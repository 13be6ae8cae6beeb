import { useEffect, useState } from 'react';
import type { Agent } from '../../protocol/session.ts';
import { useRoom, useTransport } from './room-context.tsx';

/** The agents that can be run; undefined until they are known. Asked anew whenever the connection comes back. */
export function useAgents(): readonly Agent[] | undefined {
  const transport = useTransport();
  const clientId = useRoom((room) => room.clientId);
  const [agents, setAgents] = useState<readonly Agent[]>();
  useEffect(() => {
    let isCurrent = true;
    if (clientId !== null) {
      transport.agents().then(
        (found) => isCurrent && setAgents(found),
        () => {},
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [transport, clientId]);
  return agents;
}
