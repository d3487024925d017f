/** An amount that is used up bit by bit: what the agent can make us write or keep must have an end. */
export class Budget {
  #left: number;

  constructor(amount: number) {
    this.#left = amount;
  }

  /** Whether there was enough left; if so, it is taken. */
  take(amount: number): boolean {
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
