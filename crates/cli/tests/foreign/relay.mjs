// Stands where a client expects its agent, and joins its stdin and stdout to a Unix socket at which a test plays the agent.
import { connect } from "node:net";

console.error("the relay says this on stderr");
const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("end", () => process.exit(0));
socket.on("error", () => process.exit(1));
