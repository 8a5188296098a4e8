import { visit } from "./visits.ts";

const FILES = { "notes.txt": "first\nsecond\nthird\n", "broken.json": '{ "a": }\n' };

/** A picture of one point. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg" +
  "gg==";

visit("files, selections and problems go into the prompt", FILES, async (all) => {
  const { bench } = all;
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession();
  const holds = async (text: string): Promise<void> => {
    await side.frame.waitForFunction(
      (wanted) => document.querySelector("textarea")?.value.includes(wanted),
      text,
    );
  };
  await bench.file("notes.txt");
  await bench.command("Attaché: Add File to Prompt");
  await holds("@notes.txt ");
  await bench.file("notes.txt");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await bench.command("Attaché: Add Selection to Prompt");
  await holds("@notes.txt\n@notes.txt lines 1-2:\n```plaintext\nfirst\nsecond\n```");
  await bench.file("broken.json");
  await page.locator(".squiggly-error").first().waitFor();
  await bench.command("Attaché: Add Problems of File to Prompt");
  await holds("Problems of @broken.json:\n- line 1: error: ");

  await bench.picture("context");
  await side.frame.locator(".composer .send").click();
  await side.frame.waitForFunction(() => document.querySelector("textarea")?.value === "");
  await side.frame.locator(".row-answer").first().waitFor();
});

visit("pictures are chosen or dropped", {}, async ({ bench }) => {
  await bench.trust();
  const side = await bench.newSession("Commander");
  const file = { name: "point.png", mimeType: "image/png", buffer: Buffer.from(PICTURE, "base64") };
  await side.frame.locator("input[type=file]").setInputFiles(file);
  await side.frame.getByRole("button", { name: /Remove .*point\.png/ }).waitFor();
  await side.frame.locator(".composer").evaluate((form, bytes) => {
    const data = new DataTransfer();
    const array = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    data.items.add(new File([array], "dropped.png", { type: "image/png" }));
    form.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
  }, PICTURE);
  await side.frame.getByRole("button", { name: /Remove .*dropped\.png/ }).waitFor();
  await side.prompt("look at this");
  await side.frame.getByText("It got 2 images.").waitFor();
});
