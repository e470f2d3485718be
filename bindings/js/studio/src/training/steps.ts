import type { RemoteSession } from "gradmote";
import type { Batch } from "./batches";
import type { Plan } from "./plan";

/** Trains on whole batches, one step each, and returns their mean loss. */
export async function runSteps(session: RemoteSession, plan: Plan, { x, y }: Batch): Promise<number> {
  if (plan.hasStep) return (await session.train({ x, y }))[0]!.loss;
  const [wide, narrow] = [plan.wide * plan.batch, plan.narrow * plan.batch], count = y.length / narrow;
  let total = 0;
  for (let i = 0; i < count; i++) {
    total += await session.trainStep(x.subarray(i * wide, (i + 1) * wide), y.subarray(i * narrow, (i + 1) * narrow));
    await session.optimizerStep();
    await session.lazyResetGrad();
  }
  return total / count;
}
