/** Small pictures as paths of a square of twelve. Each has another shape, so that colour alone says nothing. */
export const shapes = {
  working: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z",
  waiting: "M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8zM6 1.6v8.8",
  idle: "M6 1.9a4.1 4.1 0 1 0 0 8.2a4.1 4.1 0 1 0 0-8.2z",
  gone: "M2.4 2.4l7.2 7.2M9.6 2.4L2.4 9.6",
  done: "M2 6.4l2.8 2.8L10 3.4",
  said: "M6 1.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 1 0 0-8.4z",
  disputed: "M6 1.4l4.9 9H1.1zM6 4.7v2.7M6 8.9v.2",
  refused: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM3 9l6-6",
  blocked: "M1.8 1.8h8.4v8.4H1.8zM4 6h4",
  stop: "M4 .9h4L11.1 4v4L8 11.1H4L.9 8V4zM3.8 6h4.4",
  ask: "M1.2 2.2h9.6v6.2H6.4L3.8 10.8V8.4H1.2z",
  up: "M6 10.5V2M2.6 5.2L6 1.8l3.4 3.4",
  document: "M2.6 1.2h4.6l2.4 2.4v7.2h-7z",
  hand: "M1 6h8M6.4 3l3 3-3 3",
  talk: "M2 4h8M2 8h5.5",
  clock: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM6 3.4V6l1.8 1.2",
  loop: "M10 6a4 4 0 1 1-1.3-3M9 .9v2.4H6.6",
  coin: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM6 3.3v5.4M4.4 4.6h3.2",
  dot: "M6 5.4v1.2",
} as const;

export type Shape = keyof typeof shapes;

/** Those whose inside has the colour too. */
export const filledShapes: ReadonlySet<Shape> = new Set(["working"]);
