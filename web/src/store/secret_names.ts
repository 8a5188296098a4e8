/** The name under which the secret of this tab is kept. */
export const SECRET = "attache.secret";

/** The name under which the key is kept with which other tabs get a secret. */
export const ORIGIN_KEY = "attache.originKey";

/** The name under which the page notes for the login that this browser was logged in until now. */
export const LOGGED_OUT = "attache.loggedOut";
