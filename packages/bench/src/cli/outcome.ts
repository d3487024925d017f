/** Where a command leaves its exit status. */
export interface Outcome {
  status: number;
}
