/** Least rate that is believed, samples per second: one in 30 years. */
export const leastRate = 1e-9;
/** Numbers above this are slips of units. */
export const mostOfAny = 1e15;
