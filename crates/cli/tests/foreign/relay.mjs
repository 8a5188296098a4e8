// The agent's command for a client: connects stdin and stdout to the Unix socket of a test that
// plays the agent.
import { connect } from "node:net";

console.error("the relay says this on stderr");
const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("end", () => process.exit(0));
socket.on("error", () => process.exit(1));
