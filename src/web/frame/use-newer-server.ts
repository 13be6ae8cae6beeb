import { useEffect, useRef, useState } from 'react';
import { serverVersion } from '../data/access.ts';
import { useRoom } from '../data/room-context.tsx';

/** The server's version if it is another than the one this page came from; looked at whenever the connection comes back. */
export function useNewerServer(): string | null {
  const clientId = useRoom((room) => room.clientId);
  const first = useRef<string | null>(null);
  const [newer, setNewer] = useState<string | null>(null);
  useEffect(() => {
    if (clientId === null) return;
    let isCurrent = true;
    serverVersion().then(
      (version) => {
        if (!isCurrent) return;
        first.current ??= version;
        setNewer(version === first.current ? null : version);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [clientId]);
  return newer;
}
