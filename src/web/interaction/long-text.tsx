import { useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { type BothEnds, bothEnds, compactRoom, fullRoom } from './both-ends.logic.ts';
import { MoreButton, ReadBox, tall } from './read-box.tsx';
import { NotShown } from './use-reading.ts';

/** More than this would hold up everything else on the page: what is longer cannot be read here. */
const mostCharacters = 400_000;

/** What a machine would get, exactly. A long one shows both of its ends, with how much is between them, until all of it is opened. */
export function LongText({ text, className }: { readonly text: string; readonly className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const ends = isOpen ? null : bothEnds(text, fullRoom);
  return (
    <ReadBox
      key={String(isOpen)}
      isWhole={ends === null && text.length <= mostCharacters}
      takesFocus={isOpen}
      className={cx(tall, className)}
    >
      {ends === null ? (
        <pre className={machine}>{text.slice(0, mostCharacters)}</pre>
      ) : (
        <Ends ends={ends} onOpen={() => setOpen(true)} />
      )}
    </ReadBox>
  );
}

/** The same where there is little room: the rest of it is opened large. */
export function ShortText({ text, onOpen }: { readonly text: string; readonly onOpen: () => void }) {
  const ends = bothEnds(text, compactRoom);
  if (ends === null) return <pre className={machine}>{text}</pre>;
  return (
    <>
      <NotShown />
      <Ends ends={ends} onOpen={onOpen} />
    </>
  );
}

function Ends({ ends, onOpen }: { readonly ends: BothEnds; readonly onOpen: () => void }) {
  const t = useT();
  const { head, tail, hidden } = ends;
  return (
    <>
      {head !== '' && <pre className={machine}>{head}</pre>}
      <MoreButton onPress={onOpen}>
        {'lines' in hidden
          ? t('ask.moreLines', { count: hidden.lines })
          : t('ask.moreCharacters', { count: hidden.characters })}
      </MoreButton>
      {tail !== '' && <pre className={machine}>{tail}</pre>}
    </>
  );
}

const machine = 'whitespace-pre-wrap font-mono wrap-anywhere';
