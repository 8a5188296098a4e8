// The extension in VS Code, with a real hub and the offline agent, as a person goes the way. All
// files share one VS Code, because its start takes long.
import "./trusting.ts";
import "./reviewing.ts";
import "./deciding.ts";
import "./asking.ts";
import "./context.ts";
import "./tracing.ts";
import "./serving.ts";
import "./reloading.ts";
import "./connecting.ts";
