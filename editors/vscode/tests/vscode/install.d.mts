/** The folder of the installation. */
export const folder: string;
/** The program of Node.js that runs code-server. */
export const node: string;
/** The script that starts code-server. */
export const server: string;
