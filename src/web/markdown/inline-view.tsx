import { ImageOff } from 'lucide-react';
import type { Token } from 'marked';
import type { ReactNode } from 'react';
import { safeLink } from '../../model/safe-link.ts';
import { decodeEntities } from './entities.logic.ts';

/** Deeper than this, marks are shown as they were written. */
const deepest = 12;

/** Words with their emphasis, code and links. */
export const Inline = ({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[] | undefined;
  readonly depth?: number;
}): ReactNode =>
  tokens?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name than their place
    <InlineToken key={at} token={token} depth={depth + 1} />
  ));

function InlineToken({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (depth > deepest) return token.raw;
  switch (token.type) {
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} depth={depth} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} depth={depth} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} depth={depth} />
        </del>
      );
    case 'codespan':
      return (
        <code className="rounded-tight bg-sunken px-1 py-0.5 font-mono text-[0.875em] wrap-anywhere">
          {textOf(token)}
        </code>
      );
    case 'br':
      return <br />;
    case 'link':
      return (
        <Anchor href={textOf(token, 'href')}>
          <Inline tokens={token.tokens} depth={depth} />
        </Anchor>
      );
    case 'image':
      return <Picture href={textOf(token, 'href')} name={decodeEntities(textOf(token))} />;
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    case 'escape':
      return textOf(token);
    case 'text':
      return token.tokens === undefined || token.tokens.length === 0 ? (
        decodeEntities(textOf(token))
      ) : (
        <Inline tokens={token.tokens} depth={depth} />
      );
    case 'checkbox':
      return null;
    default:
      return token.raw;
  }
}

function textOf(token: Token, field: 'text' | 'href' = 'text'): string {
  const value: unknown = (token as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : token.raw;
}

const linkLook = 'underline decoration-line-strong underline-offset-2 hover:decoration-current wrap-anywhere';

/** A link that leads somewhere; one that would run something, or leads nowhere from here, is only its words. */
export function Anchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const link = safeLink(decodeEntities(href));
  if (link === undefined) return <span title={href}>{children}</span>;
  return (
    <a
      href={link.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={link.href}
      className={linkLook}
    >
      {children}
    </a>
  );
}

/** Loading a picture would tell its host that, when and where it was read: one has to follow the link. */
function Picture({ href, name }: { readonly href: string; readonly name: string }) {
  const link = safeLink(decodeEntities(href));
  const label = (
    <span className="inline-flex items-center gap-1 rounded-tight border border-line px-1.5 text-sm text-soft">
      <ImageOff aria-hidden className="size-3.5 shrink-0" />
      {[name, link?.host].filter(Boolean).join(' · ') || href.slice(0, 80)}
    </span>
  );
  return link === undefined ? label : <Anchor href={href}>{label}</Anchor>;
}
