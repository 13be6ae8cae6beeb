/** A question as a model puts it to a person with `AskUserQuestion`. */
export function question(words: string, labels: readonly string[], multiSelect = false) {
  return {
    question: words,
    header: words.slice(0, 12),
    multiSelect,
    options: labels.map((label) => ({ label, description: `About ${label}` })),
  };
}
