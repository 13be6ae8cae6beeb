import { basePath } from '../data/base-path.ts';
/** `insecure`: browsers show none for pages that were loaded over plain HTTP from another machine. */
export type DesktopPermission = NotificationPermission | 'insecure' | 'unsupported';

export function desktopPermission(): DesktopPermission {
  if (!globalThis.isSecureContext) return 'insecure';
  return globalThis.Notification === undefined ? 'unsupported' : Notification.permission;
}

export async function askForPermission(): Promise<DesktopPermission> {
  if (desktopPermission() === 'default') await Notification.requestPermission();
  return desktopPermission();
}

export interface DesktopNotice {
  readonly title: string;
  readonly body: string;
  /** A newer notice with the same tag takes the place of the older one. */
  readonly tag: string;
  readonly onClick: () => void;
}

/** Returns whether it was handed to the system. */
export function showOnDesktop({ title, body, tag, onClick }: DesktopNotice): boolean {
  if (desktopPermission() !== 'granted') return false;
  try {
    // Silent: the page has its own sound, which can be switched by itself.
    const shown = new Notification(title, { body, tag, silent: true, icon: `${basePath}/favicon.svg` });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
    return true;
  } catch {
    // Browsers on phones have the constructor and refuse it.
    return false;
  }
}
