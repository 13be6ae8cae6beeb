import { SessionList } from '../frame/session-list.tsx';

/** The list of sessions as a page of its own, for a phone. */
export const SessionsPage = () => <SessionList />;
