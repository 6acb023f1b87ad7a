// A receiver of webhooks on this machine. It answers challenges, and keeps what it gets.
import http from 'node:http';

export async function receive() {
  const got = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const event = JSON.parse(body);
    const { 'webhook-id': id, 'webhook-signature': signed } = request.headers;
    if (event.type !== 'webhook.test') got.push({ ...event, id, signed, path: request.url });
    response.end(event.data?.challenge ?? 'taken');
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/palmares`,
    got,
    end: () => new Promise(done => { server.close(done); server.closeAllConnections(); }),
  };
}
