# A cache that keeps all that RFC 9111 lets it keep, answers to requests with
# Authorization included (section 3.5). What keeps callers apart is then Vary and
# Cache-Control alone.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

sub vcl_recv {
    if (req.method == "GET" || req.method == "HEAD") {
        return (hash);
    }
}

sub vcl_backend_response {
    if (bereq.http.Authorization && beresp.http.Cache-Control !~ "s-maxage|public|must-revalidate") {
        set beresp.uncacheable = true;
        return (deliver);
    }
}
