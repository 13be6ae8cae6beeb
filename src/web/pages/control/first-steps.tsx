import { ArrowRight, Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useTransport } from '../../data/room-context.tsx';
import { useAgents } from '../../data/use-agents.ts';
import { openDialog } from '../../frame/dialogs.ts';
import { useT } from '../../i18n/i18n.ts';
import { routes } from '../../routes.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { toast } from '../../ui/toast.tsx';

/** Nothing runs yet: what this is, and two ways to begin. */
export function FirstSteps() {
  const t = useT();
  const transport = useTransport();
  const agents = useAgents();
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  const claude = agents?.find(({ name }) => name === 'claude');

  const tryDemo = async (): Promise<void> => {
    setStarting(true);
    try {
      const session = await transport.createSession({
        agent: 'demo',
        title: t('first.demoTitle'),
        prompt: 'tour',
      });
      navigate(routes.session(session.id));
    } catch (error) {
      toast('fail', errorText(t, error));
      setStarting(false);
    }
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="m-auto flex w-full max-w-xl flex-col gap-8 px-6 py-10">
        <div className="flex flex-col gap-3">
          <h1 className="font-semibold text-xl">{t('first.title')}</h1>
          <p className="text-lg text-soft">{t('first.what')}</p>
          <p className="text-lg text-soft">{t('first.how')}</p>
          <p className="text-lg text-soft">{t('first.promise')}</p>
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice title={t('first.demo')} text={t('first.demoText')}>
            <Button variant="primary" icon={ArrowRight} isBusy={isStarting} onClick={() => void tryDemo()}>
              {t('first.tryDemo')}
            </Button>
          </Choice>
          <Choice title={t('first.claude')} text={claudeText()}>
            <Button
              icon={Terminal}
              disabled={claude?.available !== true}
              onClick={() => openDialog({ is: 'new-session', agent: 'claude' })}
            >
              {t('first.startClaude')}
            </Button>
          </Choice>
        </div>
      </div>
    </div>
  );

  function claudeText(): string {
    if (agents === undefined) return t('first.claudeLooking');
    if (claude?.available === true)
      return claude.version === undefined
        ? t('first.claudeFound')
        : t('first.claudeFoundVersion', { version: claude.version });
    return claude?.reason ?? t('first.claudeMissing');
  }
}

function Choice({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  return (
    <Card className="flex flex-col items-start gap-2 p-4">
      <h2 className="font-semibold">{title}</h2>
      <p className="flex-1 text-soft text-sm wrap-anywhere">{text}</p>
      <div className="mt-2">{children}</div>
    </Card>
  );
}
