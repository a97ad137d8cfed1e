"""The bounded cache: what is forgotten, and when."""

from bnlab.counts.cache import BoundedCache


def test_what_was_used_longest_ago_is_forgotten_first():
    cache = BoundedCache(3)
    cache.put_many({"a": 1, "b": 2, "c": 3})
    assert cache.get_many(["a", "x"]) == {"a": 1}
    cache.put("d", 4)
    assert cache.get_many("abcd") == {"a": 1, "c": 3, "d": 4}


def test_sizes_add_up_when_values_are_replaced_or_too_large():
    cache = BoundedCache(10, len)
    cache.put_many({"a": "xxxx", "b": "xxx", "c": "x" * 11})
    assert (cache.used, cache.get("c")) == (7, None)
    cache.put("a", "xx")
    assert (cache.used, len(cache)) == (5, 2)
    cache.put_many({"d": "xxxx", "e": "xxxx"})
    assert cache.get_many("abde") == {"a": "xx", "d": "xxxx", "e": "xxxx"}


def test_an_empty_cache_finds_nothing():
    assert BoundedCache(1).get_many([1, 2]) == {}
