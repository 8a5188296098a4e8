// A program that uses an ACP agent as a language model of the AI SDK, through
// @mcpc-tech/acp-ai-provider. It sends one prompt, allows what the agent asks, and prints the
// answer: node ai-sdk.mjs DIR PROMPT COMMAND ARGS…
import { createACPProvider } from "@mcpc-tech/acp-ai-provider";
import { streamText } from "ai";

const [cwd, prompt, command, ...args] = process.argv.slice(2);
const provider = createACPProvider({ command, args, session: { cwd, mcpServers: [] } });
try {
  const model = provider.languageModel();
  for await (const text of streamText({ model, prompt, tools: provider.tools }).textStream) {
    process.stdout.write(text);
  }
} finally {
  provider.cleanup();
}
