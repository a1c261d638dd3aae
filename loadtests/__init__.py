"""Load tests: locust users that play whole games through both doors."""
