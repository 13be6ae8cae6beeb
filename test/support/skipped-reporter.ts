import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

interface Skipped {
  readonly file: string;
  /** With that of what it is part of. Titles say where their test is skipped. */
  readonly title: string;
}

/** Says at the end which tests were not run here: the count alone does not tell that a program is missing. */
export default class SkippedReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // Whoever asks for some tests by their titles knows that the others are left out.
    if (this.#vitest === undefined || this.#vitest.config.testNamePattern !== undefined) return;
    const { root } = this.#vitest.config;
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(({ fullName }) => ({
        file: relative(root, module.moduleId),
        title: fullName,
      })),
    );
    const text = skippedText(skipped);
    if (text !== undefined) console.log(text);
  }
}

export function skippedText(skipped: readonly Skipped[]): string | undefined {
  if (skipped.length === 0) return undefined;
  const files = Map.groupBy(skipped, ({ file }) => file);
  const lines = [...files].flatMap(([file, tests]) => [file, ...tests.map(({ title }) => `  ${title}`)]);
  const count = skipped.length === 1 ? 'One test was' : `${skipped.length} tests were`;
  return [`${count} skipped:`, ...lines].join('\n');
}
