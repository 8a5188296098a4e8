import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";

/** An image that goes with the next prompt. */
export interface Attachment {
  name: string;
  mimeType: string;
  /** The bytes in base64. */
  data: string;
  /** A small picture of it. */
  preview: HTMLCanvasElement;
}

/** Larger images are made smaller: models read no more, and phones take huge photos. */
const MOST_PIXELS = 2048;
const MOST_BYTES = 1_500_000;
const PREVIEW = 56;
const SENT_AS_THEY_ARE = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function scaled(image: ImageBitmap, most: number): HTMLCanvasElement {
  const factor = Math.min(1, most / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * factor));
  canvas.height = Math.max(1, Math.round(image.height * factor));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(text);
}

function jpeg(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null): void => {
      if (blob) resolve(blob);
      else reject(new Error("the image cannot be made smaller"));
    };
    canvas.toBlob(done, "image/jpeg", 0.85);
  });
}

/** Reads an image. Fails if the browser cannot decode it. */
export async function readImage(file: File): Promise<Attachment> {
  let image: ImageBitmap;
  try {
    image = await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name || "the file"} is no image that this browser can read`);
  }
  const isLarge = Math.max(image.width, image.height) > MOST_PIXELS || file.size > MOST_BYTES;
  const keeps = !isLarge && SENT_AS_THEY_ARE.includes(file.type);
  const blob = keeps ? file : await jpeg(scaled(image, MOST_PIXELS));
  const attachment = {
    name: file.name || "image",
    mimeType: keeps ? file.type : "image/jpeg",
    data: await base64(blob),
    preview: scaled(image, PREVIEW * 2),
  };
  image.close();
  return attachment;
}

function Preview({ canvas }: { canvas: HTMLCanvasElement }): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    place.current?.replaceChildren(canvas);
  }, [canvas]);
  return <span class="preview" ref={place} aria-hidden="true" />;
}

export function Attachments(props: {
  attachments: Attachment[];
  remove(index: number): void;
}): JSX.Element | null {
  if (props.attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Images of this prompt">
      {props.attachments.map((attachment, index) => (
        <li key={attachment.data.length + index}>
          <Preview canvas={attachment.preview} />
          <span class="name">{attachment.name}</span>
          <button
            type="button"
            class="icon"
            aria-label={`Remove ${attachment.name}`}
            onClick={() => props.remove(index)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
