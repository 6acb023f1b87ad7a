# Varnish in front of Palmarès. The answers say what may be kept; docs/cdn.md says
# why each line is here. Needs Varnish 6.1 or later, and xkey of varnish-modules.
vcl 4.1;

import std;
import xkey;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

# Who may have the cache drop something after a publication: in person, not through a proxy
# on the same machine. Name your workers here (PALMARES_PURGE_URL).
acl operators {
    "localhost";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        if (client.ip !~ operators || req.http.X-Forwarded-For ~ ",") {
            return (synth(405, "Method Not Allowed"));
        }
        # What has one of these tags, or else everything.
        if (req.http.Surrogate-Key) {
            return (synth(200, "Purged " + xkey.purge(req.http.Surrogate-Key)));
        }
        ban("obj.status != 0");
        return (synth(200, "Purged"));
    }
    # The pages of an account are for its owner alone.
    if (req.url ~ "^/(compte|en/account)([/?]|$)") {
        return (pass);
    }
    # Nothing else reads cookies; with one, the built-in rules would not look in the cache.
    unset req.http.Cookie;
    # The events of the payment provider are for a node alone.
    if (req.url ~ "^/stripe/") {
        return (pass);
    }
    # What agents ask is a POST of 64 KB at most, and its answer is for whoever asked. A node says in JSON
    # that a message is too long; one that is far too long does not reach it.
    if (req.url ~ "^/mcp([?]|$)") {
        if (std.integer(req.http.Content-Length, 0) > 131072) {
            return (synth(413, "Content Too Large"));
        }
        return (pass);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # The status and the sizes of downloads are what is so now: nobody waits for another's answer.
    if (req.url ~ "^/(statut|en/status|donnees|en/data)([?]|$)") {
        return (pass);
    }
    # Answers to a key are for its owner alone.
    if (req.http.Authorization) {
        return (pass);
    }
    # The node repeats this in its answer, and the answer is for everybody.
    unset req.http.X-Request-Id;
    return (hash);
}

sub vcl_backend_response {
    # What it shows: xkey looks here when it is kept.
    set beresp.http.xkey = beresp.http.Surrogate-Key;
    # Refreshed in the background, an error (a quota reached, a node in trouble)
    # must not push out what is kept.
    if (bereq.is_bgfetch && beresp.status >= 400) {
        return (abandon);
    }
    # Nodes compress what they send, but for a flood of queries that nobody sent before.
    # Varnish keeps it compressed, and undoes that for clients that do not take gzip.
    if (!bereq.uncacheable && !beresp.http.Content-Encoding && beresp.http.Content-Type ~ "json|html"
        && std.integer(beresp.http.Content-Length, 0) >= 1024) {
        set beresp.do_gzip = true;
    }
}

sub vcl_deliver {
    # These are for the cache.
    unset resp.http.xkey;
    unset resp.http.Surrogate-Key;
    unset resp.http.Cache-Tag;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
        set resp.http.X-Request-Id = "varnish-" + req.xid;
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
