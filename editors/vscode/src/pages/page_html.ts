/** What the document of a webview refers to. */
export interface PageParts {
  /** The address at which the page begins; empty for its last one. */
  address: string;
  /** Where the page is: in the side bar, or in a tab. */
  place: "side" | "tab";
  script: string;
  styles: string[];
  /** The source that the webview's policy names for its files. */
  source: string;
  nonce: string;
}

/** Returns the document. Only its own script runs, and it connects to nothing. */
export function pageHtml({ address, place, script, styles, source, nonce }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    "img-src data: blob:",
  ].join("; ");
  const links = styles.map((style) => `<link rel="stylesheet" href="${attribute(style)}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attaché</title>
${links.join("\n")}
</head>
<body class="${place}" data-address="${attribute(address)}">
<div id="page"></div>
<script type="module" nonce="${nonce}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
