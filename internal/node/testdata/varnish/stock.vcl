# Varnish with nothing but its built-in rules.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}
