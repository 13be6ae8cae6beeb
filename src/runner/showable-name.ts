/**
 * Whether a name can be shown and typed as it is. One with line ends, invisible characters or bytes that are no text would be shown as
 * another than the one that is meant: it is left out instead.
 */
export const isShowable = (name: string): boolean => !/[\p{C}\p{Zl}\p{Zp}\uFFFD]/u.test(name);
