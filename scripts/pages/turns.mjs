// Walks take turns: three are under way at once, as they wait for mails, deliveries and nodes besides what they work.
// More would be slow enough on two processors to meet their own time limits.
let free = 3;
const waiting = [];

export async function inTurn(walk) {
  if (free > 0) free--;
  else await new Promise(go => waiting.push(go));
  try {
    return await walk();
  } finally {
    const go = waiting.shift(); // gets this turn
    if (go) go();
    else free++;
  }
}
