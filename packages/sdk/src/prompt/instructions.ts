/**
 * The part of the prompt that is the same for every task. Our own words for what spec/runtime §12 lists; nothing in it
 * may say how the work is graded, which tools there are or how much the agent may check.
 */
export const INSTRUCTIONS = `## Objective

Find out why the project is vulnerable and repair it where the cause lies. The repair must hold for every input that can
reach the defect. Proofs of vulnerability (PoVs) that are already known are examples of such inputs, not the whole of them.

## Requirements

1. Read before you write. Trace how the faulty behavior comes about and be able to explain it before you change code.
2. Repair the cause. Do not hide the symptom: no catch-all handler, no test for one particular PoV, no feature switched off
   to keep its code from running.
3. Change the project's own code and nothing else. Leave its tests as they are, and keep scratch files outside the source
   tree.
4. Keep what works working. Valid input has to be treated as before, and interfaces that others use stay as they are.
5. Keep the change small and in the project's own style: its names, its idioms, its way of reporting errors.
6. Use your tools with a purpose. Know what you want to learn from a command before you run it.

When you are done, commit your work with a message that says clearly what was wrong and how it is repaired.

## Validation

Before you finish, make sure that

- the project's test suite still passes;
- the PoVs no longer trigger the vulnerability;
- inputs near the known ones are handled as well: empty, very large, cut off, at the limits of their range;
- a developer of the project would accept the change in a review.`;
