/**
 * Strings that would run, ask a stranger, or break out of an element, wherever they were taken for markup, a style or
 * an address: made of known vectors, each with a separate number. What runs says so in `window.__ran` or a dialog.
 */

const events = [
  "onerror",
  "onload",
  "onclick",
  "onfocus",
  "onmouseover",
  "onpointerenter",
  "onanimationstart",
  "ontoggle",
  "onbeginscroll",
  "onwheel",
  "onresize",
  "oninput",
  "onpaste",
  "onpageshow",
  "onbeforetoggle",
] as const;

const elements = [
  (event: string, act: string) => `<img src=x ${event}=${act}>`,
  (event: string, act: string) => `"><svg ${event}="${act}"><circle r=9></svg>`,
  (event: string, act: string) => `'/><body ${event}='${act}'>`,
  (event: string, act: string) => `<input autofocus ${event}=${act}>`,
  (event: string, act: string) => `<details open ${event}=${act}><summary>x</summary></details>`,
  (event: string, act: string) => `<iframe src="about:blank" ${event}=${act}></iframe>`,
  (event: string, act: string) => `<style>@keyframes x{}</style><b style="animation-name:x" ${event}=${act}>x</b>`,
  (event: string, act: string) => `</textarea></title></style></script><img src=x ${event}=${act}>`,
  (event: string, act: string) => `<math><mtext><table><mglyph><img src=x ${event}=${act}>`,
] as const;

const wholes = [
  (act: string) => `<script>${act}</script>`,
  (act: string) => `</script><script>${act}</script>`,
  (act: string) => `<scr<script>ipt>${act}</scr</script>ipt>`,
  (act: string) => `<a href="javascript:${act}">x</a>`,
  (act: string) => `javascript:${act}`,
  (act: string) => ` JaVaScRiPt:${act}`,
  (act: string) => `data:text/html,<script>${act}</script>`,
  (act: string) => `<iframe srcdoc="&lt;script&gt;${act}&lt;/script&gt;"></iframe>`,
  (act: string) => `<object data="javascript:${act}"></object>`,
  (act: string) => `<embed src="javascript:${act}">`,
  (act: string) => `<form action="javascript:${act}"><button>x</button></form>`,
  (act: string) => `<svg><script>${act}</script></svg>`,
  (act: string) => `<svg><a xlink:href="javascript:${act}"><text y=9>x</text></a></svg>`,
  (act: string) =>
    `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>${act}</script></svg>#x"/>`,
  (act: string) => `<meta http-equiv="refresh" content="0;url=javascript:${act}">`,
  (act: string) => `<base href="https://stranger.example/"><script src=x></script>${act}`,
  (act: string) => `<template><script>${act}</script></template>`,
  (act: string) => `{@html "<script>${act}</script>"}`,
  (act: string) => `{{constructor.constructor("${act}")()}}`,
  (act: string) => `\${${act}}`,
  (act: string) => `{${act}}`,
  (act: string) => `<!--><script>${act}</script>-->`,
  (act: string) => `]]><script>${act}</script>`,
  (act: string) => `%3Cscript%3E${act}%3C/script%3E`,
  (act: string) => `&lt;script&gt;${act}&lt;/script&gt;`,
  (act: string) => `\u003cscript\u003e${act}\u003c/script\u003e`,
  (act: string) => `+ADw-script+AD4-${act}+ADw-/script+AD4-`,
  (act: string) => `\u202e<script>${act}</script>\u2066`,
  (act: string) => `<scr\u200bipt>${act}</scr\u200bipt>`,
] as const;

const strangers = [
  `<img src="https://stranger.example/i.png">`,
  `<link rel=stylesheet href="https://stranger.example/s.css">`,
  `<link rel=preconnect href="https://stranger.example">`,
  `<link rel=prefetch href="//stranger.example/p">`,
  `<style>@import "https://stranger.example/s.css";</style>`,
  `<b style="background:url(https://stranger.example/b)">x</b>`,
  `<video src="https://stranger.example/v" poster="https://stranger.example/p"></video>`,
  `<script src="https://stranger.example/x.js"></script>`,
  `<iframe src="https://stranger.example/"></iframe>`,
  `<object data="https://stranger.example/o"></object>`,
  `<a ping="https://stranger.example/" href="#">x</a>`,
  `<form action="https://stranger.example/"><input name=x autofocus></form>`,
  `<portal src="https://stranger.example/"></portal>`,
  `url(https://stranger.example/u)`,
  `https://stranger.example/`,
] as const;

const acts = [(n: number) => `window.__ran=${n}`, (n: number) => `alert(${n})`] as const;

/** Every payload, more than two hundred, each different. */
export const scriptPayloads: readonly string[] = [
  ...events.flatMap((event) => elements.map((element) => (n: number) => element(event, acts[n % 2]?.(n) ?? ""))),
  ...wholes.flatMap((whole) => acts.map((act) => (n: number) => whole(act(n)))),
  ...strangers.map((stranger) => (n: number) => `${stranger}<!--${n}-->`),
].map((payload, n) => payload(n + 1));
