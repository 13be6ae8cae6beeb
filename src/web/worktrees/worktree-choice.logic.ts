import type { RepositoryView, WorktreeWish } from '../../protocol/worktree.ts';

/** What the dialog holds of a worktree; empty means left to the project. */
export interface WorktreeForm {
  /** Undefined until somebody has chosen: the project's wish holds. */
  readonly isOn: boolean | undefined;
  readonly base: string;
  readonly branch: string;
  /** The digest of the setup that was agreed to. */
  readonly agreesTo: string;
  /** What is shown of the repository; null where there is none, and until it is known. */
  readonly shown: RepositoryView | null;
  /** Something else was chosen since, and what that leads to is not known yet. */
  readonly isLooking: boolean;
}

export const noWorktree: WorktreeForm = {
  isOn: undefined,
  base: '',
  branch: '',
  agreesTo: '',
  shown: null,
  isLooking: false,
};

export const isWanted = ({ isOn, shown }: WorktreeForm): boolean => isOn ?? shown?.isDefault ?? false;

/** What is asked for, as it was shown; undefined where no worktree is wanted. */
export function wishOf(form: WorktreeForm): WorktreeWish | undefined {
  const { base, branch, agreesTo, shown } = form;
  if (!isWanted(form)) return undefined;
  const isShown = agreesTo !== '' && shown?.setup?.digest === agreesTo;
  return {
    ...(base !== '' && { base }),
    ...(branch.trim() !== '' && { branch: branch.trim() }),
    ...(shown !== null && shown.base !== null && { commit: shown.base.commit }),
    ...(isShown && { setup: agreesTo }),
  };
}
