import type { Answer } from '../../protocol/interaction.ts';
import { oneLine } from '../render/safe-text.ts';
import type { AskedInteraction, Dialog } from './dialog.ts';
import { pickAnswer } from './pick-answer.ts';

/** One question after the other; options by number or label, anything else is free text. */
export function questionDialog(interaction: AskedInteraction): Dialog {
  const questions = interaction.questions ?? [];
  const answers: Answer[] = [];

  return {
    opening: promptOf(0),
    take(line) {
      const { interactionId } = interaction;
      if (line.trim() === '/skip') {
        return { type: 'reply', reply: { via: 'respond', body: { interactionId, action: 'cancel' } } };
      }
      const question = questions[answers.length];
      if (question !== undefined) {
        const picked = pickAnswer(line, question, true);
        if (!picked.ok) return { type: 'ask', text: `${picked.hint} ${promptOf(answers.length)}` };
        answers.push(picked.value);
      }
      if (answers.length < questions.length) return { type: 'ask', text: promptOf(answers.length) };
      return {
        type: 'reply',
        reply: { via: 'answer', body: { requestId: interactionId, answers: [...answers] } },
      };
    },
  };

  function promptOf(index: number): string {
    const question = questions[index];
    if (question === undefined) return 'Press Enter to answer, or /skip';
    const which =
      questions.length > 1 ? `${index + 1}/${questions.length} ${oneLine(question.question)} ` : '';
    if (question.options.length === 0) return `${which}Type your answer (/skip to dismiss)`;
    const how = question.multiSelect
      ? 'numbers with commas, or your own words'
      : 'a number, or your own words';
    return `${which}(${how}; /skip to dismiss)`;
  }
}
