import assert from "node:assert/strict";
import { test } from "node:test";
import type { Memento } from "vscode";
import { KeptTabs } from "../../src/pages/kept_tabs.ts";

function memento(): Memento {
  const kept = new Map<string, unknown>();
  return {
    keys: () => [...kept.keys()],
    get: <T>(key: string, other?: T) => (kept.has(key) ? kept.get(key) : other) as T,
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
}

const tab = (title: string, visible: boolean) => ({ address: "#/", title, column: 1, visible });

test("another extension host of the window gets the tabs, those in front last", () => {
  const store = memento();
  new KeptTabs(store, "window").write([tab("front", true), tab("behind", false)]);
  const titles = new KeptTabs(store, "window").read().map(({ title }) => title);
  assert.deepEqual(titles, ["behind", "front"]);
});

test("a window that is loaded again gets no tabs: VS Code restores them", () => {
  const store = memento();
  new KeptTabs(store, "window").write([tab("a", true)]);
  assert.deepEqual(new KeptTabs(store, "loaded again").read(), []);
  assert.deepEqual(new KeptTabs(memento(), "window").read(), []);
});
