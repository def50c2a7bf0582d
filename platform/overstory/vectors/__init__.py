"""Arrays of vectors: conversion to bytes, clustering, and search for nearest neighbours."""
