/** One row of the curves: the measurements up to a step. */
export interface Point {
  step: number;
  loss: number | null;
  heldLoss: number | null;
  accuracy: number | null;
}

const MOST = 2000;

/** Returns the curve with one more point. A long curve is thinned, except for measurements on held-out samples. */
export function extended(points: Point[], point: Point): Point[] {
  const last = points[points.length - 1];
  if (last?.step === point.step) return [...points.slice(0, -1), merged(last, point)];
  const kept = points.length < MOST ? points : points.filter((old, i) => i % 2 === 0 || old.heldLoss !== null || old.accuracy !== null);
  return [...kept, point];
}

function merged(before: Point, after: Point): Point {
  return {
    step: after.step,
    loss: after.loss ?? before.loss,
    heldLoss: after.heldLoss ?? before.heldLoss,
    accuracy: after.accuracy ?? before.accuracy,
  };
}
