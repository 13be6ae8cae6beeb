import type { Template } from '../../protocol/template.ts';

/** Prompts that are used again, by their names. */
export interface Templates {
  list(): Promise<readonly Template[]>;
  /** One of the same name is replaced. False where there are too many already. */
  save(template: Template): Promise<boolean>;
  /** False when there is none of this name. */
  remove(name: string): Promise<boolean>;
}
