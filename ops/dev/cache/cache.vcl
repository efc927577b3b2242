# Cloudflare's Workers Cache, as far as Varnish can imitate it: keys, stored responses, lifetimes and purges
# (https://developers.cloudflare.com/workers/cache/). Where Cloudflare's documentation leaves something open, this file
# chooses what reveals a mistake in the Worker's headers soonest.
#
# `ops/dev/src/local_cache.rs` writes the file that defines the backend and includes this one.

import std;
import xkey;

acl this_machine {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    # The local cache is purged by this method. Cloudflare's is purged by calls from inside the Worker.
    if (req.method == "PURGE") {
        if (client.ip !~ this_machine) {
            return (synth(405));
        }
        set req.http.X-Purged = xkey.purge(req.http.Cache-Tag);
        return (synth(200, "Purged " + req.http.X-Purged));
    }
    # Only GET and HEAD are cached. A pipe passes bytes both ways as they arrive, so an upload is not buffered and a
    # refusal can arrive before the upload ends. Cloudflare answers everything below /cdn-cgi/ without the Worker.
    if ((req.method != "GET" && req.method != "HEAD") || req.http.Upgrade || req.url ~ "^/cdn-cgi/") {
        return (pipe);
    }
    return (hash);
}

sub vcl_pipe {
    # Otherwise later requests on the same connection would pass unexamined.
    set bereq.http.Connection = "close";
    return (pipe);
}

# The key: path and query, and the headers that could make a program answer for another URL. Neither host nor method,
# cookies or credentials.
sub vcl_hash {
    hash_data(req.url);
    hash_data("" + req.http.X-HTTP-Method-Override + "|" + req.http.X-HTTP-Method + "|" + req.http.X-Method-Override);
    hash_data("" + req.http.X-Forwarded-Host + "|" + req.http.X-Host + "|" + req.http.X-Forwarded-Scheme);
    hash_data("" + req.http.X-Original-URL + "|" + req.http.X-Rewrite-URL + "|" + req.http.Forwarded);
    return (lookup);
}

sub vcl_backend_response {
    # An expired response is kept for a while, only to be revalidated with its entity tag. It is never served.
    set beresp.grace = 0s;
    set beresp.keep = 10m;
    # A response without caching headers is stored all the same. The Worker must never send one.
    if (!beresp.http.Cache-Control && !beresp.http.Expires) {
        if (beresp.status == 200 || beresp.status == 203 || beresp.status == 204) {
            set beresp.ttl = 2h;
        } elsif (beresp.status == 404 || beresp.status == 410) {
            set beresp.ttl = 3m;
        } elsif (beresp.status == 405) {
            set beresp.ttl = 1m;
        } else {
            set beresp.ttl = 0s;
        }
    }
    if (beresp.status == 206 || beresp.ttl <= 0s || beresp.http.Set-Cookie || beresp.http.Vary == "*"
        || beresp.http.Cache-Control ~ "(?i)(no-store|private)"
        || (bereq.http.Authorization && beresp.http.Cache-Control !~ "(?i)(public|must-revalidate|s-maxage)")) {
        # The next request for the same URL asks the Worker again, without waiting for this one.
        set beresp.uncacheable = true;
        set beresp.ttl = 10s;
    }
    if (beresp.http.Cache-Tag) {
        set beresp.http.xkey = beresp.http.Cache-Tag;
    }
    return (deliver);
}

# Without a Worker there is no response, and none is stored.
sub vcl_backend_error {
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
    set beresp.http.Cache-Control = "no-store";
    return (deliver);
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.Cf-Cache-Status = "HIT";
    } elsif (obj.uncacheable) {
        set resp.http.Cf-Cache-Status = "BYPASS";
    } else {
        set resp.http.Cf-Cache-Status = "MISS";
    }
    unset resp.http.Cache-Tag;
    unset resp.http.xkey;
    unset resp.http.X-Varnish;
    unset resp.http.Via;
    return (deliver);
}
